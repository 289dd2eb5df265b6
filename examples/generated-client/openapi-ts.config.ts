/** For hey-api: `npx openapi-ts`. */
export default {
  input: 'openapi.json',
  output: { path: 'hey-api', module: { extension: '.ts' } },
}
