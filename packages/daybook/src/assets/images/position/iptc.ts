/** Places of IPTC IIM, record 2: content location, city, sublocation, state, country. */
const PLACES: ReadonlySet<number> = new Set([26, 27, 90, 92, 95, 100, 101])

const TAG_MARKER = 0x1c
const HEAD_BYTES = 5

/**
 * Writes spaces over the places in the IPTC records of a Photoshop segment. A data set begins with 0x1C, record, number and a
 * length of two bytes (IIM 4.2, section 1.5).
 */
export function blankIptc(bytes: Buffer): void {
  if (!bytes.toString('latin1', 0, 14).startsWith('Photoshop 3.0\0')) return
  for (let at = bytes.indexOf(TAG_MARKER); at >= 0; at = bytes.indexOf(TAG_MARKER, at)) {
    at = blankDataSet(bytes, at)
  }
}

/** Returns where to read on. */
function blankDataSet(bytes: Buffer, at: number): number {
  if (at + HEAD_BYTES > bytes.length || (bytes[at + 1] ?? 0) !== 2) return at + 1
  const start = at + HEAD_BYTES
  const end = start + bytes.readUInt16BE(at + 3)
  if (end > bytes.length) return at + 1
  if (PLACES.has(bytes[at + 2] ?? 0)) bytes.fill(0x20, start, end)
  return end
}
