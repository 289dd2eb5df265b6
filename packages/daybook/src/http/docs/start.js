// Runs in the browser, as the only script in the docs page.

// Scalar validates with zod, which compiles code from strings by default. The policy of the page forbids that.
globalThis.__zod_globalConfig = { jitless: true }

const place = document.getElementById('docs')
const { title, theme } = place.dataset

/** Reads the OpenAPI document for this visitor: the browser sends the session cookie. */
async function readDocument() {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`/openapi.json responded with ${response.status}.`)
  const openApi = await response.json()
  const { components = {} } = openApi
  const parameters = Object.entries(components.parameters ?? {}).map(([name, parameter]) => [
    name,
    disableByDefault(parameter),
  ])
  return {
    ...openApi,
    info: { ...openApi.info, title },
    components: { ...components, parameters: Object.fromEntries(parameters) },
  }
}

/** Disables a parameter by default. Scalar would send each optional parameter with a known value, so a write would become a dry run. */
function disableByDefault(parameter) {
  const { required, schema = {} } = parameter
  const value = schema.default ?? schema.enum?.[0]
  if (required || value === undefined) return parameter
  return { ...parameter, examples: { default: { value: String(value), 'x-disabled': true } } }
}

/** Sends a request without an empty token. Scalar sends the header even if no token was entered, and it would override the session cookie. */
function sendRequest(input, init) {
  const request = new Request(input, init)
  if (/^bearer$/i.test(request.headers.get('authorization')?.trim() ?? '')) request.headers.delete('authorization')
  return fetch(request)
}

/** No requests to other hosts, and no settings from the URL of the page. */
const SETTINGS = {
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

const COLOURS = theme === 'system' ? {} : { forceDarkModeState: theme, hideDarkModeToggle: true }

try {
  const [{ createApiReference }, content] = await Promise.all([import('./standalone.esm.js'), readDocument()])
  place.replaceChildren()
  createApiReference(place, {
    ...SETTINGS,
    ...COLOURS,
    content,
    customFetch: sendRequest,
    metaData: { title },
    authentication: { preferredSecurityScheme: 'bearerAuth' },
  })
} catch (error) {
  place.textContent = `The docs page cannot be shown: ${error.message} Reload it to try again.`
}
