/** What a floor asks its database for: at once, or later. */
export type Maybe<T> = T | Promise<T>

/** Goes on with a value as soon as it is there. */
export function after<A, B>(value: Maybe<A>, next: (value: A) => Maybe<B>): Maybe<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}
