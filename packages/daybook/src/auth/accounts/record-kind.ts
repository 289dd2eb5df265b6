/** The kind of record that stores rows of a model of better-auth, such as `user`. */
export const recordKind = (model: string): string => `better-auth ${model}`
