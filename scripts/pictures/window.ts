/** The style of a window with text of fixed width, as of a terminal. */
export const WINDOW_STYLE = `
body { margin: 0; background: #161b26; }
.window { display: flex; gap: 8px; padding: 14px 20px 0; }
.window i { width: 12px; height: 12px; border-radius: 50%; background: #3c4557; }
pre { margin: 0; padding: 16px 24px 24px; font: 15px/1.55 "DejaVu Sans Mono", Menlo, Consolas, monospace; color: #dfe4ee;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.prompt { color: #7fd6a4; } .key { color: #8cc4ff; } .text { color: #f1cf8a; } .number { color: #d6a4ff; }
`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character)

/** Returns HTML of JSON with colours for its names, texts and other values. */
export const colourJson = (json: string): string =>
  escapeHtml(json).replace(
    /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null|-?\d[\d.]*)\b/g,
    (token, text?: string, colon?: string) => {
      if (text === undefined) return `<span class="number">${token}</span>`
      return colon === undefined ? `<span class="text">${text}</span>` : `<span class="key">${text}</span>${colon}`
    },
  )
