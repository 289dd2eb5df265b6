/** Names of locations, besides all that begin with `GPS` (XMP part 2, photoshop; IPTC Core and Extension). */
const LOCATIONS: ReadonlySet<string> = new Set([
  'City',
  'State',
  'Country',
  'CountryCode',
  'Location',
  'LocationCreated',
  'LocationShown',
])

/** Attributes that describe the structure of the packet, and contain no data. */
const STRUCTURE = /^(?:xmlns|rdf|xml)(?::|$)/

/** The longest name that is compared, in characters. */
const MAX_NAME = 128

const CODE = { '<': 0x3c, '>': 0x3e, '/': 0x2f, '=': 0x3d, '"': 0x22, "'": 0x27, ' ': 0x20 } as const

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** True for the name of a location. The prefix is ignored, because every writer may choose another. */
function isLocation(name: string): boolean {
  const local = name.slice(name.indexOf(':') + 1)
  return local.startsWith('GPS') || LOCATIONS.has(local)
}

type State = 'text' | 'tag' | 'attributes' | 'value' | 'declaration'

/** Blanks the locations in a whole XMP packet. */
export const blankXmp = (packet: Buffer): void => new XmpBlanker().blank(packet)

/**
 * Writes spaces over the locations in an XMP packet, in pieces of any length: over values of attributes, and over the text of elements
 * and of all that they contain. It reads only tags and quotes, so a packet that is no XML stays as it is or loses text, never its length.
 */
export class XmpBlanker {
  #state: State = 'text'
  #name = ''
  #element = ''
  #attribute = ''
  #quote = 0
  /** The number of open elements that are locations or within one; their text is blanked. */
  #depth = 0
  #isClosing = false
  #isEmpty = false

  readonly blank = (piece: Buffer): void => {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.#isBlanked(piece[at] ?? 0)) piece[at] = CODE[' ']
    }
  }

  /** Processes a byte. Returns true if it is part of a location. */
  #isBlanked(code: number): boolean {
    switch (this.#state) {
      case 'text':
        return this.#inText(code)
      case 'value':
        return this.#inValue(code)
      case 'tag':
        this.#inTag(code)
        return false
      case 'attributes':
        this.#inAttributes(code)
        return false
      case 'declaration':
        if (code === CODE['>']) this.#state = 'text'
        return false
    }
  }

  #inText(code: number): boolean {
    if (code !== CODE['<']) return this.#depth > 0 && !isSpace(code)
    this.#state = 'tag'
    this.#name = ''
    this.#isClosing = false
    this.#isEmpty = false
    return false
  }

  #inTag(code: number): void {
    if (this.#name === '' && (code === 0x21 || code === 0x3f)) this.#state = 'declaration'
    else if (this.#name === '' && code === CODE['/']) this.#isClosing = true
    else if (code === CODE['>'] || code === CODE['/'] || isSpace(code)) {
      this.#element = this.#name
      this.#name = ''
      this.#state = 'attributes'
      this.#inAttributes(code)
    } else this.#extendName(code)
  }

  #inAttributes(code: number): void {
    if (code === CODE['>']) this.#endTag()
    else if (code === CODE['"'] || code === CODE["'"]) {
      this.#state = 'value'
      this.#quote = code
    } else if (code === CODE['=']) {
      this.#attribute = this.#name
      this.#name = ''
    } else if (!isSpace(code) && code !== CODE['/']) this.#extendName(code)
    this.#isEmpty = code === CODE['/']
  }

  #inValue(code: number): boolean {
    if (code !== this.#quote) {
      if (STRUCTURE.test(this.#attribute)) return false
      return isLocation(this.#attribute) || this.#depth > 0 || isLocation(this.#element)
    }
    this.#state = 'attributes'
    this.#attribute = ''
    this.#name = ''
    return false
  }

  #endTag(): void {
    this.#state = 'text'
    if (this.#isClosing) this.#depth = Math.max(0, this.#depth - 1)
    else if (!this.#isEmpty && (this.#depth > 0 || isLocation(this.#element))) this.#depth += 1
  }

  #extendName(code: number): void {
    if (this.#name.length < MAX_NAME) this.#name += String.fromCharCode(code)
  }
}
