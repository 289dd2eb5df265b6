export { type Listening, type ServeOptions, serve } from './serve.ts'
