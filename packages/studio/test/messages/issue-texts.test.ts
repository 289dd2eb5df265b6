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
  'muss mit http:// oder https:// beginnen, etwa https://example.org/seite',
  'must begin with http:// or https://, such as https://example.org/page',
]

/** Creates an entry with invalid values, and returns the issues. */
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
      ['/code', 'muss dem Muster ^[A-Z]+$ entsprechen', 'must match ^[A-Z]+$'],
      ['/count', 'muss mindestens 2 sein', 'must be at least 2'],
      ['/day', 'muss ein Tag wie 2026-10-20 sein', 'must be a day such as 2026-10-20'],
      ['/kind', 'muss eines davon sein: essay, note', 'must be one of: essay, note'],
      ['/link', ...WEB],
      ['/link', ...WEB],
      ['/long', 'muss mindestens 1.000 Zeichen haben', 'must have at least 1,000 characters'],
      ['/mail', 'muss eine E-Mail-Adresse sein', 'must be an e-mail address'],
      ['/nothing', 'dieses Feld gibt es nicht', 'is an unknown field'],
      ['/open', 'muss Ja oder Nein sein', 'must be yes or no'],
      ['/price', 'darf höchstens 1,5 sein', 'must be at most 1.5'],
      ['/short', 'darf höchstens 3 Zeichen haben', 'must have at most 3 characters'],
      [
        '/slug',
        'muss aus Buchstaben und Ziffern bestehen, mit einzelnen Binde-, Unterstrichen oder Punkten dazwischen',
        'must be letters and digits, with single hyphens, dots or underscores between',
      ],
      ['/tags', 'muss mindestens 2 Einträge haben', 'must have at least 2 items'],
      ['/title', 'fehlt noch', 'is required'],
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
    expect(getIssueText(issue, de)).toBe('ist image/gif. Angenommen werden nur: image/png, image/webp')
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
