import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { create, type Document } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'
import { config } from './order-config.ts'

const at = fc.nat({ max: 7 })
const parent = fc.option(at)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), parent }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('beside' as const),
      side: fc.constantFrom('before', 'after'),
      at,
      other: at,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      position: fc.constantFrom('first' as const, 'last' as const),
      at,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('below' as const), at, parent }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), at }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A node of the model: the order is that of the list. */
interface Node {
  readonly id: string
  parent: string | null
}

/** The model: a list of nodes, and the rule that no node is its own ancestor. */
class Model {
  readonly nodes: Node[] = []

  get(index: number): Node | undefined {
    return this.nodes[index % Math.max(this.nodes.length, 1)]
  }

  isBelow(id: string | null, ancestor: string): boolean {
    if (id === null) return false
    return id === ancestor || this.isBelow(this.nodes.find((node) => node.id === id)?.parent ?? null, ancestor)
  }

  place(node: Node, findIndex: () => number): void {
    this.nodes.splice(this.nodes.indexOf(node), 1)
    this.nodes.splice(findIndex(), 0, node)
  }
}

/** Takes steps in the service and in the model; the service rejects what the model does not allow. */
class Steps {
  readonly #content: StoredService<typeof config>['content']
  readonly #service: StoredService<typeof config>
  readonly #model: Model

  constructor(service: StoredService<typeof config>, model: Model) {
    this.#content = service.content
    this.#service = service
    this.#model = model
  }

  async take(chosen: Step): Promise<void> {
    if (chosen.do === 'create') return this.#create(chosen.parent)
    const node = this.#model.get(chosen.at)
    if (!node) return
    if (chosen.do === 'delete') return this.#delete(node)
    if (chosen.do === 'end') return this.#moveToEnd(node, chosen.position)
    if (chosen.do === 'below') return this.#moveBelow(node, chosen.parent)
    return this.#moveBeside(node, chosen.side === 'after', this.#model.get(chosen.other))
  }

  #find(index: number | null): string | null {
    return index === null ? null : (this.#model.get(index)?.id ?? null)
  }

  async #create(index: number | null): Promise<void> {
    const parent = this.#find(index)
    const { id } = await create(this.#service, 'pages', { name: 'x', parent })
    this.#model.nodes.push({ id, parent })
  }

  async #delete(node: Node): Promise<void> {
    const { nodes } = this.#model
    await this.#content.delete('pages', node.id)
    nodes.splice(nodes.indexOf(node), 1)
    for (const child of nodes) if (child.parent === node.id) child.parent = null
  }

  async #moveToEnd(node: Node, position: 'first' | 'last'): Promise<void> {
    await this.#content.move('pages', node.id, { position })
    this.#model.place(node, () => (position === 'first' ? 0 : this.#model.nodes.length))
  }

  async #moveBelow(node: Node, index: number | null): Promise<void> {
    const parent = this.#find(index)
    const moved = this.#content.move('pages', node.id, { parent })
    if (this.#model.isBelow(parent, node.id)) return expect(moved).rejects.toThrow(/below it/)
    await moved
    node.parent = parent
    this.#model.place(node, () => this.#model.nodes.length)
  }

  async #moveBeside(node: Node, isAfter: boolean, other: Node | undefined): Promise<void> {
    if (!other) return
    const moved = this.#content.move('pages', node.id, isAfter ? { after: other.id } : { before: other.id })
    if (other === node) return expect(moved).rejects.toThrow(/another entry/)
    await moved
    this.#model.place(node, () => this.#model.nodes.indexOf(other) + (isAfter ? 1 : 0))
  }
}

describe.each(STORES)('moves on $name', (store) => {
  test('lists have the order and the parents of a plain list of nodes', { timeout: LARGE_TEST_MS }, async () => {
    await using service = await store.open<typeof config>(config)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await service.content.deleteMany('pages', { id: { exists: true } })
        const model = new Model()
        const taker = new Steps(service, model)
        for (const chosen of steps) await taker.take(chosen)
        const { items } = await service.content.list('pages', { limit: 500 })
        const listed = (items as readonly Document[]).map(({ id, parent: above }) => ({ id, parent: above }))
        expect(listed).toEqual(model.nodes)
      }),
      { numRuns: 25 },
    )
  })
})
