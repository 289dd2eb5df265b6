import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Comment, type Node, type ParamPattern, parseSync, Visitor } from 'oxc-parser'

/** Words that are no names: they say that something was found or made, not what it is. */
const VAGUE_NAMES: readonly string[] =
  'asked,beside,found,given,held,kept,known,made,meanwhile,one,others,own,settle,taken,told'.split(',')

/** Words that no name contains, each with the word of the glossary that takes its place. */
const GLOSSARY: Readonly<Record<string, string>> = {
  answer: 'response',
  answers: 'responses',
  reply: 'response',
  replies: 'responses',
  question: 'request, query or cacheKey',
  questions: 'requests, queries or cacheKeys',
  asker: 'caller',
  asked: 'the name of what is requested',
  told: 'a noun that says what the value is',
  teller: 'subscription',
  settle: 'a verb that says what happens',
  misfit: 'invalid value',
  misfits: 'invalid values',
  tally: 'counters',
  tallies: 'counters',
  glimpse: 'preview card',
  meanwhile: 'a noun that says what the value is',
  'working copy': 'draft',
  'working copies': 'drafts',
}

/** Metaphors that are no names of files and folders. */
const VAGUE_FILES: readonly string[] =
  'across,glimpse,house,lanes,misfits,pace,past,places,room,talk,together,told,whole'.split(',')

/** Names that stay, each with the reason. */
const ALLOWED_NAMES: Readonly<Record<string, string>> = {
  kept: 'a member of the stored progress of retention',
}

/** Documents that are not in the repository. */
const FOREIGN_DOCUMENT = /\b(?:architecture|contract|interface|language|reliability|review|style)\.md\b/
const OPENER = /^[\s*/]*(?:What|How|Whether|Where|Who)\b/
const TITLE_CODE = /\([A-Z]\d{1,2}(?:, [A-Z]?\d{1,2})*\)/

const FOLDERS = ['packages/*/{src,test,templates}', 'bench', 'deploy', 'docs/test', 'examples', 'scripts']
const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface LanguageFault {
  readonly offset: number
  readonly message: string
}

/** The words of a name in camel case, Pascal case, capitals or kebab case, in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

/** Returns why a name is not used here, or `undefined` if it may be. */
function nameFault(name: string): string | undefined {
  const words = wordsOf(name)
  if (words.length === 1 && VAGUE_NAMES.includes(words[0] ?? '')) return 'says nothing about the thing; name the thing'
  const pairs = words.map((word, index) => `${word} ${words[index + 1]}`)
  const banned = [...words, ...pairs].find((word) => Object.hasOwn(GLOSSARY, word))
  return banned && `has "${banned}"; write ${GLOSSARY[banned]}`
}

function boundBy(pattern: Node | ParamPattern): readonly { readonly name: string; readonly start: number }[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        boundBy(property.type === 'RestElement' ? property.argument : property.value),
      )
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? boundBy(element) : []))
    case 'AssignmentPattern':
      return boundBy(pattern.left)
    case 'RestElement':
      return boundBy(pattern.argument)
    default:
      return []
  }
}

/** Comments; lines of `//` that follow each other are one. */
function* joinedComments(comments: readonly Comment[], code: string): Generator<Comment> {
  let previous: Comment | undefined
  for (const comment of comments) {
    const isContinued =
      comment.type === 'Line' && previous?.type === 'Line' && /^\s*$/.test(code.slice(previous.end, comment.start))
    if (!isContinued) yield comment
    previous = comment
  }
}

/** Finds names, comments and titles of tests that the glossary does not allow. */
function findFaults(file: string, code: string): readonly LanguageFault[] {
  const faults: LanguageFault[] = []
  const isTest = /(?:^|\/)test\//.test(file)
  const checkName = (node: { readonly name: string; readonly start: number } | null): void => {
    const message = node && !Object.hasOwn(ALLOWED_NAMES, node.name) && nameFault(node.name)
    if (node && message) faults.push({ offset: node.start, message: `the name "${node.name}" ${message}.` })
  }
  const checkKey = ({ key }: { readonly key: Node }): void => {
    if (key.type === 'Identifier' || key.type === 'PrivateIdentifier') checkName(key)
  }
  const checkParams = ({ params }: { readonly params: readonly ParamPattern[] }): void => {
    for (const param of params) boundBy(param).forEach(checkName)
  }
  const checkTitle = (offset: number, text: unknown): void => {
    const [cited] = (isTest && typeof text === 'string' && TITLE_CODE.exec(text)) || []
    if (cited) faults.push({ offset, message: `a title has the code ${cited}. Say the behaviour.` })
  }
  const { program, comments } = parseSync(file, code)
  new Visitor({
    VariableDeclarator: ({ id }) => boundBy(id).forEach(checkName),
    CatchClause: ({ param }) => (param ? boundBy(param) : []).forEach(checkName),
    FunctionDeclaration: (node) => {
      checkName(node.id)
      checkParams(node)
    },
    FunctionExpression: checkParams,
    ArrowFunctionExpression: checkParams,
    TSFunctionType: checkParams,
    ClassDeclaration: ({ id }) => checkName(id),
    TSInterfaceDeclaration: ({ id }) => checkName(id),
    TSTypeAliasDeclaration: ({ id }) => checkName(id),
    TSPropertySignature: checkKey,
    TSMethodSignature: (node) => {
      checkKey(node)
      checkParams(node)
    },
    PropertyDefinition: checkKey,
    MethodDefinition: checkKey,
    Literal: ({ start, value }) => checkTitle(start, value),
    TemplateElement: ({ start, value }) => checkTitle(start, value.raw),
  }).visit(program)
  for (const { start, value } of joinedComments(comments, code)) {
    const [opener] = OPENER.exec(value) ?? []
    if (opener) {
      const word = opener.replace(/[\s*/]+/, '')
      faults.push({ offset: start, message: `a comment begins with ${word}. Begin with a noun or a verb.` })
    }
    const [document] = FOREIGN_DOCUMENT.exec(value) ?? []
    if (document) faults.push({ offset: start, message: `a comment cites ${document}, which is not here.` })
  }
  const vague = wordsOf(basename(file).replace(/\..*/, '')).find((word) => VAGUE_FILES.includes(word))
  if (vague) faults.push({ offset: 0, message: `the file is named after "${vague}". Name the concept inside.` })
  return faults.sort((a, b) => a.offset - b.offset)
}

const lineAt = (code: string, offset: number): number => code.slice(0, offset).split('\n').length

const paths = process.argv.slice(2)
const inPaths = (file: string): boolean => paths.length === 0 || paths.some((path) => file.startsWith(path))
let count = 0
for await (const path of glob(
  FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx}`),
  { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] },
)) {
  const file = path.replaceAll('\\', '/')
  if (!inPaths(file)) continue
  const code = readFileSync(`${ROOT}/${file}`, 'utf8')
  for (const { offset, message } of findFaults(file, code)) {
    count += 1
    process.stderr.write(`${file}:${lineAt(code, offset)} ${message}\n`)
  }
}
process.stdout.write(count === 0 ? 'language: ok\n' : `language: ${count} to fix\n`)
process.exitCode = count === 0 ? 0 : 1
