export type { MountedStudioEditor, StudioEditorModule, StudioEditorProps } from './server/editor-protocol.ts'
export type { AccentColours, StudioOptions } from './server/options.ts'
export { studio } from './server/studio.ts'
