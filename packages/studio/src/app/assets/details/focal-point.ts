import type { FocalPoint } from '../media/asset.ts'

/** The distance that an arrow key moves the point, as a fraction of the image. */
const STEP = 0.01
/** The same with Shift. */
const LARGE_STEP = 0.1

const DIRECTIONS: Readonly<Record<string, FocalPoint>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Moves a point by an arrow key; `undefined` for other keys. */
export function moveFocalPoint(
  { x, y }: FocalPoint,
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
): FocalPoint | undefined {
  const direction = DIRECTIONS[key]
  if (!direction) return undefined
  const step = shiftKey ? LARGE_STEP : STEP
  return { x: clamp(x + direction.x * step), y: clamp(y + direction.y * step) }
}

/** The position of an image on the screen, in pixels. */
interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export const toFocalPoint = (
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  { left, top, width, height }: Box,
): FocalPoint => ({ x: clamp((clientX - left) / width), y: clamp((clientY - top) / height) })

/** Limits a coordinate to 0 to 1, rounded to three digits. */
const clamp = (coordinate: number): number => Math.round(Math.min(1, Math.max(0, coordinate)) * 1000) / 1000
