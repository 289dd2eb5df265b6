/** JSON text. Most of a document's parts stand in it many times: they are printed once, and put together as text. */
export type Text = string

/** The text of a value. */
export const print = (value: unknown): Text => JSON.stringify(value)

/** The text of an object, of the texts of its members. */
export function object(members: Iterable<readonly [key: string, value: Text]>): Text {
  // Texts that are added share memory with their parts; joined ones are copied once for each object around them.
  let text = ''
  for (const [key, value] of members) text += `${text === '' ? '{' : ','}"${key}":${value}`
  return text === '' ? '{}' : `${text}}`
}

/** The text of a reference. */
export const printRef = ({ $ref }: { readonly $ref: string }): Text => `{"$ref":"${$ref}"}`

/** A text with its places filled; texts of places stand nowhere else in it. */
export function fill(pattern: Text, places: Readonly<Record<string, Text>>): Text {
  let text = pattern
  for (const place in places) text = text.split(place).join(places[place])
  return text
}

/** Texts that are printed once. */
export class Texts<Value = Text> {
  readonly #texts = new Map<string, Value>()

  /** The text of this name, made when it is first asked for. */
  get(name: string, make: () => Value): Value {
    const text = this.#texts.get(name) ?? make()
    this.#texts.set(name, text)
    return text
  }
}
