import type { FocalPoint } from '../media/asset.ts'

/** How far an arrow key moves the point, alone and with Shift, as a part of the image. */
const STEP = 0.01
const LARGE_STEP = 0.1

const DIRECTIONS: Readonly<Record<string, FocalPoint>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Where a key moves a point; `undefined`: it does not. */
export function moveFocalPoint(
  { x, y }: FocalPoint,
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
): FocalPoint | undefined {
  const direction = DIRECTIONS[key]
  if (!direction) return undefined
  const step = shiftKey ? LARGE_STEP : STEP
  return { x: within(x + direction.x * step), y: within(y + direction.y * step) }
}

/** Where an image is on the screen, in pixels. */
interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Where in an image somebody points. */
export const toFocalPoint = (
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  { left, top, width, height }: Box,
): FocalPoint => ({ x: within((clientX - left) / width), y: within((clientY - top) / height) })

/** From 0 to 1, and no finer than anybody points. */
const within = (part: number): number => Math.round(Math.min(1, Math.max(0, part)) * 1000) / 1000
