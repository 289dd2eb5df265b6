import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { stripLocation } from '../../../src/assets/images/strip-location/strip-location.ts'
import { FORMATS, PLACES, picture, plainPicture } from './pictures.ts'

/** Runs bytes through the filter in pieces of these lengths, in turn. */
async function filtered(type: string, bytes: Buffer, pieces: readonly number[] = [bytes.length]): Promise<Buffer> {
  const filter = stripLocation(type)
  if (!filter) throw new Error(`There is no filter for ${type}.`)
  return buffer(Readable.from(split(bytes, pieces)).pipe(filter))
}

function* split(bytes: Buffer, pieces: readonly number[]): Generator<Buffer> {
  for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
    const end = at + (pieces[piece % pieces.length] ?? 1)
    yield bytes.subarray(at, end)
    at = end
  }
}

const pixels = (bytes: Buffer): Promise<Buffer> => sharp(bytes).raw().toBuffer()

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

/** A PNG file with a chunk before its pixels. */
async function pngWith(type: string, ...data: readonly Buffer[]): Promise<Buffer> {
  const bytes = await plainPicture().png().toBuffer()
  return Buffer.concat([bytes.subarray(0, 33), chunk(type, Buffer.concat(data)), bytes.subarray(33)])
}

/** The chunks of a PNG file whose checksums are wrong. */
function wrongChecksums(bytes: Buffer): readonly string[] {
  const wrong: string[] = []
  for (let at = 8; at < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end))
      wrong.push(bytes.toString('latin1', at + 4, at + 8))
    at = end + 4
  }
  return wrong
}

/** A JPEG file with a segment after its start. */
async function jpegWith(marker: number, data: Buffer): Promise<Buffer> {
  const bytes = await plainPicture().jpeg().toBuffer()
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([bytes.subarray(0, 2), head, data, bytes.subarray(2)])
}

describe.each(FORMATS)('the location in a file of type %s', (format) => {
  const type = `image/${format}`

  test('is blanked in Exif and XMP, and nothing else changes', async () => {
    const before = await picture(format)
    const after = await filtered(type, before)
    const exif = (await sharp(after).metadata()).exif
    expect((await sharp(before).metadata()).exif?.includes('WGS-84-CANARY')).toBe(true)
    expect(after).toHaveLength(before.length)
    for (const place of [...PLACES, 'WGS-84-CANARY']) expect(after.includes(place), place).toBe(false)
    expect(exif?.includes('Ada Lovelace')).toBe(true)
    expect((await sharp(after).metadata()).orientation).toBe((await sharp(before).metadata()).orientation)
    expect(await pixels(after)).toEqual(await pixels(before))
  })

  test('is blanked however the bytes are split', async () => {
    const before = await picture(format)
    const after = await filtered(type, before)
    const pieces = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 })
    const property = fc.asyncProperty(pieces, async (lengths) => {
      expect(after.equals(await filtered(type, before, lengths))).toBe(true)
    })
    await fc.assert(property, { numRuns: 60, examples: [[[1]], [[2]], [[3, 1]]] })
  })

  test('is absent without metadata, and the bytes stay', async () => {
    const plain = await plainPicture().toFormat(format).toBuffer()
    expect((await filtered(type, plain)).equals(plain)).toBe(true)
  })

  test('is ignored in damaged files, which keep their length', async () => {
    const whole = await picture(format)
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    })
    const property = fc.asyncProperty(damage, fc.nat(whole.length), async (changes, end) => {
      const damaged = Buffer.from(whole)
      for (const [at, value] of changes) damaged[at] = value
      expect(await filtered(type, damaged)).toHaveLength(whole.length)
      const cut = damaged.subarray(0, end)
      expect(await filtered(type, cut)).toHaveLength(end)
    })
    await fc.assert(property, { numRuns: 1250 })
  })
})

test('a file keeps its orientation when its location is blanked', async () => {
  expect((await sharp(await filtered('image/jpeg', await picture('jpeg'))).metadata()).orientation).toBe(6)
})

/** Exif in big-endian order: IFD0 points to a GPS directory with one entry, whose value is at the end. */
function bigEndianExif(value: string): Buffer {
  const head = '4d4d002a00000008'
  const first = '0001' + '88250004000000010000001a' + '00000000'
  const gps = '0001' + '0012000200000010' + '0000002c' + '00000000'
  return Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(head + first + gps, 'hex'), Buffer.from(value)])
}

test('a location in big-endian Exif is blanked, with its entry and the number of entries', async () => {
  const before = await jpegWith(0xe1, bigEndianExif('WGS-84-CANARY...'))
  const after = await filtered('image/jpeg', before)
  const at = before.indexOf('WGS-84-CANARY')
  expect(after.subarray(at - 18, at + 16)).toEqual(Buffer.alloc(34))
  expect(after.subarray(0, at - 18).equals(before.subarray(0, at - 18))).toBe(true)
})

test('the places of IPTC records in a JPEG file are blanked, and its caption stays', async () => {
  const record = (number: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([0x1c, 2, number, 0, text.length]), Buffer.from(text)])
  const records = Buffer.concat([record(90, 'Paris'), record(101, 'France'), record(120, 'A tower')])
  const head = Buffer.from(`Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0${String.fromCharCode(records.length)}`, 'latin1')
  const after = await filtered('image/jpeg', await jpegWith(0xed, Buffer.concat([head, records])))
  expect(['Paris', 'France', 'A tower'].map((text) => after.includes(text))).toEqual([false, false, true])
})

test('a location in a second picture of a JPEG file is blanked', async () => {
  const pair = Buffer.concat([await plainPicture().jpeg().toBuffer(), await picture('jpeg')])
  const after = await filtered('image/jpeg', pair)
  for (const place of [...PLACES, 'WGS-84-CANARY']) expect(after.includes(place), place).toBe(false)
})

test('extended XMP is blanked, even if a place is split between segments', async () => {
  const portion = (text: string): Buffer =>
    Buffer.concat([Buffer.from('http://ns.adobe.com/xmp/extension/\0'), Buffer.alloc(40, 'D'), Buffer.from(text)])
  const first = await jpegWith(0xe1, portion('S="2,17.4E"><dc:title>Tower</dc:title></a>'))
  const second = portion('<a exif:GP')
  const head = Buffer.from([0xff, 0xe1, 0, second.length + 2])
  const after = await filtered('image/jpeg', Buffer.concat([first.subarray(0, 2), head, second, first.subarray(2)]))
  expect([after.includes('2,17.4E'), after.includes('Tower')]).toEqual([false, true])
})

describe('texts of a PNG file', () => {
  const xmp = Buffer.from('<a exif:GPSLatitude="48,51.5N" dc:title="Tower"/>')
  const keyword = Buffer.from('XML:com.adobe.xmp\0')
  const profile = Buffer.from('Raw profile type exif\0')

  test.each([
    ['an XMP packet', 'iTXt', [keyword, Buffer.alloc(4), xmp], true],
    ['a compressed XMP packet', 'iTXt', [keyword, Buffer.from([1, 0, 0, 0]), deflateSync(xmp)], false],
    ['encoded Exif', 'tEXt', [profile, Buffer.from(`\nexif\n 4\n${xmp.toString('hex')}`)], false],
    ['compressed Exif', 'zTXt', [profile, Buffer.alloc(1), deflateSync(xmp)], false],
  ] as const)('%s loses its position, and the file stays valid', async (_name, type, data, keepsTitle) => {
    const before = await pngWith(type, ...data)
    for (const pieces of [[before.length], [1]]) {
      const after = await filtered('image/png', before, pieces)
      expect(after).toHaveLength(before.length)
      expect(wrongChecksums(after)).toEqual([])
      expect(after.includes('48,51.5N')).toBe(false)
      expect(after.includes(data.at(-1) ?? '')).toBe(false)
      expect(after.includes('Tower')).toBe(keepsTitle)
      expect(await pixels(after)).toEqual(await pixels(before))
    }
  })

  test('a comment stays as it is', async () => {
    const before = await pngWith('tEXt', Buffer.from('Comment\0GPSLatitude="1" Paris'))
    expect((await filtered('image/png', before)).equals(before)).toBe(true)
  })
})

test('Exif that is longer than the buffer is blanked as a whole', async () => {
  const before = await pngWith('eXIf', Buffer.alloc(1024 * 1024 + 1, 'N'))
  const after = await filtered('image/png', before, [65_536])
  expect(after.includes('NNNN')).toBe(false)
  expect(after).toHaveLength(before.length)
  expect(wrongChecksums(after)).toEqual([])
})

test('a file with endless extents in its item table passes', async () => {
  const box = (type: string, ...content: readonly Buffer[]): Buffer => {
    const body = Buffer.concat([Buffer.from(type), ...content])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length + 4)
    return Buffer.concat([length, body])
  }
  const items = Buffer.from('0001000000 01ffff'.replaceAll(' ', ''), 'hex')
  const iloc = box('iloc', Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), ...Array.from({ length: 10_000 }, () => items))
  const infe = box('infe', Buffer.from('0200000000010000', 'hex'), Buffer.from('Exif\0'))
  const meta = box('meta', Buffer.alloc(4), box('iinf', Buffer.from('000000000001', 'hex'), infe), iloc)
  const file = Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0')), meta])
  expect((await filtered('image/avif', file)).equals(file)).toBe(true)
})

test('types without a location that Daybook can blank have no filter', () => {
  expect(stripLocation('application/pdf')).toBeUndefined()
})
