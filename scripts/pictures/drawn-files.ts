import sharp from 'sharp'

/** A file of the museum, as a program stores it. */
export interface DrawnFile {
  readonly name: string
  readonly alt: string
  readonly directory: string
  readonly bytes: Buffer
}

/** Name, what it shows, folder, background, drawing. */
type Drawing = readonly [name: string, alt: string, directory: string, background: string, svg: string]

const sheet = (x: number, y: number, turn: number, colour: string): string =>
  `<rect x="${x}" y="${y}" width="220" height="280" rx="4" fill="${colour}" transform="rotate(${turn} ${x} ${y})"/>`

const lines = (x: number, y: number, count: number, colour: string): string =>
  Array.from(
    { length: count },
    (_, at) => `<rect x="${x}" y="${y + at * 26}" width="${170 - (at % 3) * 28}" height="7" rx="3" fill="${colour}"/>`,
  ).join('')

const galls = [140, 250, 360, 455]
  .map(
    (x, at) =>
      `<circle cx="${x}" cy="${210 + (at % 2) * 50}" r="${46 - at * 5}" fill="${at % 2 ? '#8a5a33' : '#6f4526'}"/>`,
  )
  .join('')

const drops = ['#10316b', '#1d4f9c', '#3f7fce', '#8db7ea']
  .map((colour, at) => `<circle cx="${110 + at * 130}" cy="200" r="${64 - at * 9}" fill="${colour}"/>`)
  .join('')

const DRAWINGS: readonly Drawing[] = [
  [
    'ink-bottle.webp',
    'A bottle of black ink',
    'ink',
    '#e9dfcb',
    `${sheet(330, 70, 8, '#fbf7ee')}<rect x="150" y="150" width="170" height="190" rx="22" fill="#1c2536"/><rect x="195" y="95" width="80" height="62" rx="8" fill="#7b4b2a"/><rect x="172" y="205" width="126" height="82" rx="4" fill="#efe6d2"/><rect x="190" y="236" width="90" height="10" rx="4" fill="#1c2536"/>`,
  ],
  ['oak-galls.webp', 'Four oak galls in a row', 'ink', '#dfe5d3', galls],
  ['blues.webp', 'Four drops of blue, from dark to light', 'ink', '#f3f4f7', drops],
  [
    'letter-1703.webp',
    'A letter of 1703, folded twice',
    'paper',
    '#7d5b45',
    `${sheet(190, 60, 0, '#f2e6c9')}${lines(215, 95, 8, '#6b5138')}<circle cx="385" cy="310" r="24" fill="#a3262a"/>`,
  ],
  [
    'watermark.webp',
    'A watermark in the form of a crown',
    'paper',
    '#cfd8dc',
    `${sheet(190, 60, 0, '#f7fafb')}<path d="M230 240 L230 160 L265 200 L300 140 L335 200 L370 160 L370 240 Z" fill="none" stroke="#b5c4cb" stroke-width="7"/>`,
  ],
  [
    'press.webp',
    'The iron press in the first room',
    'rooms',
    '#c9b8a4',
    '<rect x="150" y="60" width="34" height="290" fill="#2d2a28"/><rect x="416" y="60" width="34" height="290" fill="#2d2a28"/><rect x="130" y="50" width="340" height="42" rx="6" fill="#2d2a28"/><rect x="284" y="92" width="32" height="90" fill="#56504b"/><rect x="200" y="182" width="200" height="34" fill="#56504b"/><rect x="190" y="262" width="220" height="30" fill="#7b4b2a"/>',
  ],
]

/** Draws the files of the museum, so that none has to be fetched. */
export function drawPictures(): Promise<readonly DrawnFile[]> {
  return Promise.all(
    DRAWINGS.map(async ([name, alt, directory, background, drawing]) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 400" width="600" height="400"><rect width="600" height="400" fill="${background}"/>${drawing}</svg>`
      return { name, alt, directory, bytes: await sharp(Buffer.from(svg)).webp().toBuffer() }
    }),
  )
}
