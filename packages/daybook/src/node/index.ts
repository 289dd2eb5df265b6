export { type Listening, type Servable, type ServeOptions, serve } from './serve.ts'
