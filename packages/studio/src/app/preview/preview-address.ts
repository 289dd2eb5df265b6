/** A place in an address that a value of the entry takes: `{slug}`. */
const PLACE = /\{(\w+)\}/g

/** What the places of an address are filled with. */
export type PreviewValues = Readonly<Record<string, unknown>>

/** The address of an entry's page; a value that is not there is left out. */
export const fillAddress = (address: string, values: PreviewValues): string =>
  address.replace(PLACE, (_, key: string) => encodeURIComponent(textOf(values[key])))

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Whether an address needs a token: without one, the page shows what is published. */
export const needsToken = (address: string): boolean => address.includes('{token}')
