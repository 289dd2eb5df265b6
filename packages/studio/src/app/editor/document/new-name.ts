/** A random name. Pages without TLS have no `crypto.randomUUID`. */
export const newName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
