// Runs in the browser, as the only script that the docs page names.

// Scalar validates with zod, which compiles code from texts unless it is told not to. The page's policy forbids that.
globalThis.__zod_globalConfig = { jitless: true }

const place = document.getElementById('docs')
const { title, theme } = place.dataset

/** The OpenAPI document, as far as this visitor may know it: the browser sends the session's cookie. */
async function readDocument() {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}.`)
  const described = await response.json()
  const { components = {} } = described
  const parameters = Object.entries(components.parameters ?? {}).map(([name, one]) => [name, leftOut(one)])
  return {
    ...described,
    info: { ...described.info, title },
    components: { ...components, parameters: Object.fromEntries(parameters) },
  }
}

/** Scalar sends each parameter of which it knows a value, such as the first of a few: a write would be a dry run, unasked. */
function leftOut(parameter) {
  const { required, schema = {} } = parameter
  const value = schema.default ?? schema.enum?.[0]
  if (required || value === undefined) return parameter
  return { ...parameter, examples: { default: { value: String(value), 'x-disabled': true } } }
}

/** Scalar sends the header of a token that nobody has entered; the service would look at it before the session's cookie. */
function sendRequest(input, init) {
  const request = new Request(input, init)
  if (/^bearer$/i.test(request.headers.get('authorization')?.trim() ?? '')) request.headers.delete('authorization')
  return fetch(request)
}

/** Nothing that asks another host, and nothing that this page's address could change. */
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
