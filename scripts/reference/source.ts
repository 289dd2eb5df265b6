import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Comment,
  type Declaration as DeclarationStatement,
  type Function as FunctionNode,
  type ObjectExpression,
  type Program,
  parseSync,
  type Span,
  type Statement,
  type TSInterfaceDeclaration,
  type TSTypeAliasDeclaration,
  type VariableDeclarator,
} from 'oxc-parser'
import { readTsdoc, type Tsdoc, withoutTsdoc } from './tsdoc.ts'

type Declaration = TSInterfaceDeclaration | TSTypeAliasDeclaration | FunctionNode | VariableDeclarator

/** A parsed TypeScript file: its declarations and their doc comments. */
export class Source {
  /** The path below the root of the repository. */
  readonly file: string
  readonly #text: string
  readonly #comments: readonly Comment[]
  readonly #declarations = new Map<string, { readonly node: Declaration; readonly doc: Tsdoc }[]>()

  /** @throws {Error} if the text is not TypeScript */
  constructor(file: string, text: string) {
    const { program, comments, errors } = parseSync(file, text)
    if (errors.length > 0) throw new Error(`${file} is not TypeScript: ${errors[0]?.message}`)
    this.file = file
    this.#text = text
    this.#comments = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    this.#readDeclarations(program)
  }

  #readDeclarations({ body }: Program): void {
    for (const statement of body) {
      const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      for (const node of declared ? findDeclarations(declared) : []) {
        if (node.id?.type === 'Identifier') this.#add(node.id.name, node, statement)
      }
    }
  }

  #add(name: string, node: Declaration, statement: Span): void {
    const overloads = this.#declarations.get(name) ?? []
    this.#declarations.set(name, [...overloads, { node, doc: this.docBefore(statement) }])
  }

  /** The doc comment right before a node. */
  docBefore({ start }: Span): Tsdoc {
    const comment = this.#comments.findLast(({ end }) => end <= start)
    const isNext = comment && this.#text.slice(comment.end, start).trim() === ''
    return isNext ? readTsdoc(comment.value) : withoutTsdoc()
  }

  /** The declarations of a name; a function may have several. */
  declarations(name: string): readonly { readonly node: Declaration; readonly doc: Tsdoc }[] {
    return this.#declarations.get(name) ?? []
  }

  /**
   * The object literal of a constant.
   *
   * @throws {Error} if the constant or the literal is missing
   */
  object(name: string): ObjectExpression {
    const [declared] = this.declarations(name)
    const value = declared?.node.type === 'VariableDeclarator' ? declared.node.init : undefined
    const plain = value?.type === 'TSAsExpression' || value?.type === 'TSSatisfiesExpression' ? value.expression : value
    const inner = plain?.type === 'TSAsExpression' ? plain.expression : plain
    if (inner?.type === 'ObjectExpression') return inner
    throw new Error(`${this.file} has no object ${name}.`)
  }

  textOf({ start, end }: Span): string {
    return this.#text.slice(start, end)
  }
}

/** Finds the declarations of a statement that may have doc comments. */
function findDeclarations(statement: Statement | DeclarationStatement): readonly Declaration[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return statement.declarations
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return [statement]
    default:
      return []
  }
}

/** Several source files. A name is looked up in the order of the files. */
export class Sources {
  readonly all: readonly Source[]

  constructor(all: readonly Source[]) {
    this.all = all
  }

  /** Reads the files that match patterns, below a root, in the order of the patterns. */
  static read(root: string, ...patterns: readonly string[]): Sources {
    const files = new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).sort()))
    return new Sources([...files].map((file) => new Source(file, readFileSync(join(root, file), 'utf8'))))
  }

  find(
    name: string,
  ): { readonly source: Source; readonly declarations: ReturnType<Source['declarations']> } | undefined {
    for (const source of this.all) {
      const declarations = source.declarations(name)
      if (declarations.length > 0) return { source, declarations }
    }
    return undefined
  }

  below(folder: string): Sources {
    return new Sources(this.all.filter(({ file }) => file.startsWith(`${folder}/`)))
  }
}
