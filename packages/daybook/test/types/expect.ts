/** True if two types are identical, not merely assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** True if two types are assignable to each other. */
export type Alike<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** Does not compile unless `T` is `true`. */
export type Expect<T extends true> = T

/** The same, inside a function. */
export function holds<_T extends true>(): void {}
