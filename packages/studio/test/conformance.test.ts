import { defineCollection, defineConfig, f } from 'daybook'
import { pluginConformance } from 'daybook/testing'
import { describe, test } from 'vitest'
import { studio } from '../src/index.ts'

const config = defineConfig({ collections: { notes: defineCollection({ fields: { text: f.text() } }) } })

describe('studio() is a plugin like any other', () => {
  const addresses = { '/studio/*': '/studio/c/notes', '/studio/app/*': '/studio/app/nothing.js' }
  for (const { name, run } of pluginConformance({ plugin: () => studio({ title: 'Notes' }), config, addresses }))
    test(name, run)
})
