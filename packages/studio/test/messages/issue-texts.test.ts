import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../../../daybook/src/errors.ts'
import { getIssueText, type ServiceIssue } from '../../src/app/api/error-texts.ts'
import { de } from '../../src/app/messages/de.ts'
import { en } from '../../src/app/messages/en.ts'
import type { IssueTextName } from '../../src/app/messages/issues-en.ts'

const config: DaybookConfig = defineConfig({
  collections: {
    things: defineCollection({
      fields: {
        title: f.text({ required: true }),
        short: f.text({ maxLength: 3 }),
        long: f.text({ minLength: 1000, maxLength: 2000, index: false }),
        code: f.text({ pattern: '^[A-Z]+$' }),
        count: f.integer({ min: 2, max: 9 }),
        price: f.number({ max: 1.5 }),
        open: f.boolean(),
        kind: f.select({ options: ['essay', 'note'] }),
        link: f.url(),
        mail: f.email(),
        day: f.date(),
        slug: f.slug({ from: 'title' }),
        tags: f.list(f.text(), { min: 2, max: 3 }),
        other: f.relation('things'),
      },
    }),
  },
})

const WEB = [
  'Geben Sie eine Adresse ein, die mit http:// oder https:// beginnt, etwa https://example.org/seite.',
  'Enter an address that begins with http:// or https://, such as https://example.org/page.',
]

async function findIssues(body: object): Promise<readonly (ServiceIssue & { readonly path: string })[]> {
  await using service = await createTestService(config)
  const response = await service.request('/api/things', {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { details } = (await response.json()) as { readonly details: { readonly issues?: readonly never[] } }
  return details.issues ?? []
}

describe('issues in the language of the Studio', () => {
  test('have the limits that the service sends', async () => {
    const broken = {
      short: 'four',
      long: 'no',
      code: 'x',
      count: 1,
      price: 2,
      open: 'x',
      kind: 'x',
      link: 'x',
      day: 'x',
    }
    const issues = await findIssues({ ...broken, mail: 'x', slug: 'a b', tags: ['one'], nothing: 1 })
    const texts = issues.map((issue) => [issue.path, getIssueText(issue, de), getIssueText(issue, en)])
    expect(texts.toSorted()).toEqual([
      ['/code', 'Der Wert muss dem Muster ^[A-Z]+$ entsprechen.', 'The value must match the pattern ^[A-Z]+$.'],
      ['/count', 'Der Wert muss mindestens 2 sein.', 'The value must be at least 2.'],
      ['/day', 'Geben Sie ein Datum wie 2026-10-20 ein.', 'Enter a date such as 2026-10-20.'],
      ['/kind', 'Wählen Sie eine dieser Möglichkeiten: essay, note.', 'Choose one of: essay, note.'],
      ['/link', ...WEB],
      ['/link', ...WEB],
      ['/long', 'Geben Sie mindestens 1.000 Zeichen ein.', 'Enter at least 1,000 characters.'],
      ['/mail', 'Geben Sie eine E-Mail-Adresse ein.', 'Enter an e-mail address.'],
      ['/nothing', 'Dieses Feld gibt es nicht.', 'This field does not exist.'],
      ['/open', 'Wählen Sie Ja oder Nein.', 'Choose yes or no.'],
      ['/price', 'Der Wert darf höchstens 1,5 sein.', 'The value must be at most 1.5.'],
      ['/short', 'Geben Sie höchstens 3 Zeichen ein.', 'Enter at most 3 characters.'],
      [
        '/slug',
        'Verwenden Sie nur Buchstaben und Ziffern, dazwischen einzelne Bindestriche, Punkte oder Unterstriche.',
        'Use only letters and digits, with single hyphens, dots or underscores between them.',
      ],
      ['/tags', 'Mindestens 2 Elemente sind erforderlich.', 'At least 2 items are required.'],
      ['/title', 'Dieses Feld ist erforderlich.', 'This field is required.'],
    ])
  })

  test('have the same params in every language', () => {
    const paramsIn = (text: string): readonly string[] => text.match(/\{\w+\}/g)?.toSorted() ?? []
    for (const [name, text] of Object.entries(en.issues.texts))
      expect(paramsIn(de.issues.texts[name as IssueTextName]), name).toEqual(paramsIn(text))
  })

  test('name the media types of a rejected file', () => {
    const params = { type: 'image/gif', values: ['image/png', 'image/webp'] }
    const issue = { code: 'accept', params, message: 'is image/gif' }
    expect(getIssueText(issue, de)).toBe(
      'Dateien vom Typ image/gif sind nicht erlaubt. Erlaubte Typen: image/png, image/webp.',
    )
  })

  test('keep messages of the config unchanged', () => {
    expect(getIssueText({ code: 'validate', message: 'Too late.' }, de)).toBe('Too late.')
    expect(getIssueText({ code: 'tooLate', params: { latest: 'Friday' }, message: 'Too late.' }, de)).toBe('Too late.')
    // A validator may use a code of the service without its params.
    expect(getIssueText({ code: 'pattern', message: 'Zwei Buchstaben, dann Ziffern' }, de)).toBe(
      'Zwei Buchstaben, dann Ziffern',
    )
    expect(getIssueText({ code: 'toString', message: 'Odd.' }, de)).toBe('Odd.')
  })

  test('exist for every error code', () => {
    for (const code of Object.keys(ERRORS)) {
      expect(Object.hasOwn(en.errors, code), code).toBe(true)
      expect(Object.hasOwn(de.errors, code), code).toBe(true)
    }
  })
})
