import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { kitchen, small } from '../../support/configs/configs.ts'
import { sealed } from '../../support/configs/sealed.ts'

/** Names that could clash, and schemas that refer to parts of themselves. */
const odd = defineConfig({
  collections: {
    a: defineCollection({
      fields: {
        tree: f.json({
          schema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
            $ref: '#/$defs/node',
          },
        }),
        named: f.json({ schema: { $id: 'https://example.org/named', type: 'object' } }),
        anchored: f.json({ schema: { $defs: { list: { $anchor: 'here', type: 'array' } }, $ref: '#here' } }),
        parts: f.blocks({ one: { parts: f.blocks({ two: { of: f.relation('a_b') } }) }, two: { text: f.text() } }),
        list: f.list(f.relation('a')),
      },
    }),
    a_b: defineCollection({ fields: { name: f.text({ localized: true, required: true }), a: f.relation('a') } }),
    entry: defineCollection({ fields: { text: f.text() } }),
    entries: defineCollection({ fields: { text: f.text() } }),
    referencesToA: defineCollection({ fields: { text: f.text() } }),
    aEntry: defineCollection({ fields: { text: f.text() } }),
  },
  globals: { a: defineGlobal({ fields: { text: f.text() } }) },
  locales: { default: 'en', available: ['en', 'de'] },
})

export const CONFIGS: readonly (readonly [name: string, config: DaybookConfig])[] = Object.entries({
  blog,
  kitchen,
  sealed,
  small,
  odd,
  nothing: defineConfig({ collections: {} }),
})

interface Schema {
  readonly $ref?: string
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly oneOf?: readonly Schema[]
  readonly additionalProperties?: unknown
  readonly properties: Readonly<Record<string, Schema>>
  readonly items: Schema
  readonly anyOf: unknown
  readonly required: unknown
  readonly discriminator: unknown
  readonly examples?: readonly unknown[]
}

export interface Operation {
  readonly summary: string
  readonly operationId: string
  readonly security: unknown
  readonly tags: readonly string[]
  readonly parameters: readonly { readonly $ref?: string }[]
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: object; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
    >
  >
}

interface Parameter {
  readonly required?: boolean
  readonly name: string
  readonly in: string
  readonly schema: Schema
  readonly style?: string
  readonly explode?: boolean
  readonly example?: unknown
}

/** The tested part of an OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, { readonly headers?: object }>>
    readonly securitySchemes: unknown
  }
}

export async function readDocument(config: DaybookConfig, isSession = false): Promise<Document> {
  await using service = await createTestService(config, { export: true })
  const headers = isSession ? { Authorization: `Bearer ${service.token}` } : {}
  const response = await service.request('/openapi.json', { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return (await response.json()) as Document
}

export const operationsOf = ({ paths }: Document): readonly Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item))

export const parametersOf = (
  { components }: Document,
  { parameters }: Operation,
): Readonly<Record<string, Parameter>> =>
  Object.fromEntries(
    parameters.map((item) => {
      const parameter = item.$ref
        ? (components.parameters[item.$ref.split('/').at(-1) ?? ''] as Parameter)
        : (item as unknown as Parameter)
      return [parameter.name, parameter]
    }),
  )
