export type { AccentColours, StudioOptions } from './server/options.ts'
export { studio } from './server/studio.ts'
