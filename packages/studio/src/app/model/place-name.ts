import { labelOf } from './studio-model.ts'

/** A place in words: `parts.0.title` is `Parts › 1 › Title`. */
export const placeName = (place: string): string =>
  place
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : labelOf(step)))
    .join(' › ')
