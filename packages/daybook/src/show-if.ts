/** A value with which a {@link ShowIf} compares a field. */
export type ShowIfValue = string | number | boolean

/** The comparisons of a {@link ShowIf} with one field, all of which must hold. */
export interface ShowIfOperators {
  /** The value is this one. */
  readonly eq?: ShowIfValue
  /** The value is another one, or there is none. */
  readonly ne?: ShowIfValue
  /** The value is one of these. */
  readonly in?: readonly ShowIfValue[]
  /** The value is none of these, or there is none. */
  readonly nin?: readonly ShowIfValue[]
  /** True: there is a value; false: there is none. */
  readonly exists?: boolean
}

/**
 * The condition of a field on the fields beside it, all of which must match: `{ kind: 'event' }`, or with operators
 * `{ kind: { in: ['event', 'talk'] }, featured: true }`.
 */
export type ShowIf = Readonly<Record<string, ShowIfValue | ShowIfOperators>>

type Comparison = (value: unknown, operand: never) => boolean

const isEqual = (value: unknown, operand: ShowIfValue): boolean => value === operand
const isAmong = (value: unknown, operands: readonly ShowIfValue[]): boolean =>
  operands.some((operand) => operand === value)

const COMPARISONS: Readonly<Record<keyof ShowIfOperators, Comparison>> = {
  eq: isEqual,
  ne: (value, operand: ShowIfValue) => !isEqual(value, operand),
  in: isAmong,
  nin: (value, operands: readonly ShowIfValue[]) => !isAmong(value, operands),
  exists: (value, operand: boolean) => (value !== null && value !== undefined) === operand,
}

/** The names of the operators in a {@link ShowIf}. */
export const SHOW_IF_OPERATORS: readonly string[] = Object.keys(COMPARISONS)

/**
 * Returns true if a field with this condition is shown, and so required and validated.
 *
 * @param showIf the condition; without one, the field is always shown
 * @param siblings the values of the fields beside it
 */
export function isFieldShown(showIf: ShowIf | undefined, siblings: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(showIf ?? {}).every(([key, condition]) => {
    const operators = typeof condition === 'object' ? condition : { eq: condition }
    return Object.entries(operators).every(([operator, operand]) =>
      COMPARISONS[operator as keyof ShowIfOperators](siblings[key], operand as never),
    )
  })
}
