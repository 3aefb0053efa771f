// npm run released: writes the object calls of this release, which later releases may only widen.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SyntaxKind, type FunctionTypeNode } from 'typescript/unstable/ast'
import {
  API,
  ElementFlags,
  SignatureKind,
  SymbolFlags,
  type Project,
  type Symbol,
  type TupleType,
  type Type,
} from 'typescript/unstable/sync'
import { CommandError, runCommand } from '../../src/cli/shared/terminal.ts'

const ROOT = join(import.meta.dirname, '../..')
const RELEASED = join(import.meta.dirname, 'released.ts')

/** What only the platform calls. */
const HANDLERS: readonly string[] = [
  'alarm',
  'webSocketMessage',
  'webSocketClose',
  'webSocketError',
]

void runCommand(async () => {
  const text = await readFile(join(ROOT, 'package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  const api = new API({ cwd: ROOT })
  try {
    const config = join(ROOT, 'tsconfig.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!project) throw new CommandError('tsconfig.json is not a project.')
    await writeFile(RELEASED, new Calls(project).text(version))
  } finally {
    api.close()
  }
  return 0
})

/** The methods of the Durable Objects, in types that need nothing else of the sources. */
class Calls {
  readonly #project: Project
  readonly #errorCode: number
  /** The names of types that have one, by the type's id. */
  readonly #names = new Map<number, string>()
  readonly #taken = new Set<string>()
  readonly #declarations: string[] = []

  constructor(project: Project) {
    this.#project = project
    const codes = this.#exports('src/core/refusal.ts').find(({ name }) => name === 'ErrorCode')
    this.#errorCode = project.checker.getDeclaredTypeOfSymbol(given(codes)).id
  }

  text(version: string): string {
    const { checker } = this.#project
    const classes = this.#exports('src/worker.ts')
      .filter(({ flags }) => (flags & SymbolFlags.Alias) !== 0)
      .map((symbol) => {
        const type = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol))
        return `${symbol.name}: ${block(this.#methods(type))}`
      })
    return [
      `// The object calls of release ${version}. Written by \`npm run released\` at a release: see CONTRIBUTING.md.\n`,
      `export interface Released ${block(classes)}\n`,
      ...this.#declarations,
    ].join('\n')
  }

  #exports(path: string): readonly Symbol[] {
    const { checker, program } = this.#project
    const module = checker.getSymbolAtLocation(given(program.getSourceFile(join(ROOT, path))))
    return checker.getExportsOfModule(given(module))
  }

  #methods(type: Type): string[] {
    const { checker } = this.#project
    return checker.getPropertiesOfType(type).flatMap((symbol) => {
      const isOurs = symbol.declarations.some(({ path }) => path.includes('/durable-objects/'))
      const isMethod = (symbol.flags & SymbolFlags.Method) !== 0
      if (!isOurs || !isMethod || isHidden(symbol.name) || HANDLERS.includes(symbol.name)) return []
      // A property rather than a method: TypeScript compares parameters of methods in both directions.
      return [`${symbol.name}: ${this.#function(given(checker.getTypeOfSymbol(symbol)))}`]
    })
  }

  #function(type: Type): string {
    const { checker } = this.#project
    const [signature, ...others] = checker.getSignaturesOfType(type, SignatureKind.Call)
    if (!signature || others.length > 0) throw unsaid(checker, type)
    const node = checker.signatureToSignatureDeclaration(signature, SyntaxKind.FunctionType)
    const { parameters } = given(node) as FunctionTypeNode
    const texts = signature.getParameters().map((symbol, index, { length }) => {
      const isRest = signature.hasRestParameter && index === length - 1
      const isOptional = !isRest && parameters[index]?.questionToken !== undefined
      const text = this.#field(symbol.name, isOptional, given(checker.getTypeOfSymbol(symbol)))
      return isRest ? `...${text}` : text
    })
    const result = this.#text(given(checker.getReturnTypeOfSignature(signature)))
    return `(${texts.join(', ')}) => ${result}`
  }

  /** Returns a type's text: its name, if it has one and no parameters, or what it consists of. */
  #text(type: Type): string {
    const name = nameOf(type)
    // Codes may be added: the router has an answer to one that it doesn't know.
    if (type.id === this.#errorCode) return 'string'
    if (name === null) return this.#content(type)
    const known = this.#names.get(type.id)
    if (known !== undefined) return known
    let own = name
    for (let count = 2; this.#taken.has(own); count++) own = `${name}${count}`
    this.#taken.add(own)
    this.#names.set(type.id, own)
    const content = this.#content(type)
    this.#declarations.push(`type ${own} = ${content}\n`)
    return own
  }

  #content(type: Type): string {
    const { checker } = this.#project
    if (type.isUnionType()) return this.#union(type.getTypes())
    if (type.isIntersectionType()) {
      return type
        .getTypes()
        .map((part) => `(${this.#text(part)})`)
        .join(' & ')
    }
    if (!type.isObjectType()) {
      if (type.isErrorType() || type.isTypeParameter()) throw unsaid(checker, type)
      return checker.typeToString(type)
    }
    const parameters = type.isTypeReference()
      ? checker.getTypeArguments(type).map((part) => this.#text(part))
      : []
    if (type.isTypeReference()) {
      const target = type.getTarget()
      if (target.isTupleType()) return tuple(target, parameters)
    }
    if (isForeign(type)) return generic(given(type.getSymbol()).name, parameters)
    if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0)
      return this.#function(type)
    return this.#fields(type)
  }

  #union(types: readonly Type[]): string {
    const texts = new Set(types.map((part) => this.#text(part)))
    if (texts.has('true') && texts.has('false')) {
      texts.delete('true')
      texts.delete('false')
      texts.add('boolean')
    }
    return [...texts]
      .toSorted()
      .map((text) => (text.includes('=>') ? `(${text})` : text))
      .join(' | ')
  }

  #fields(type: Type): string {
    const { checker } = this.#project
    const fields = checker.getPropertiesOfType(type).flatMap((symbol) => {
      if (isHidden(symbol.name)) return []
      const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0
      return [this.#field(symbol.name, isOptional, given(checker.getTypeOfSymbol(symbol)))]
    })
    const indexed = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, valueType }) => `[key: ${this.#text(keyType)}]: ${this.#text(valueType)}`)
    const all = [...fields, ...indexed]
    return all.length === 0 ? 'object' : block(all)
  }

  #field(name: string, isOptional: boolean, type: Type): string {
    const label = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    const text = this.#text(type)
    return isOptional
      ? `${label}?: ${text.replace(/^undefined \| | \| undefined$/, '')}`
      : `${label}: ${text}`
  }
}

/** Returns a type with a line for each field. */
function block(fields: readonly string[]): string {
  return `{\n${fields.map((field) => field.replaceAll(/^/gm, '  ')).join('\n')}\n}`
}

/** Returns the name of one of our types, or null if it has none or depends on parameters. */
function nameOf(type: Type): string | null {
  const alias = type.getAliasSymbol()
  const symbol = alias ?? (type.isObjectType() ? type.getSymbol() : undefined)
  if (!symbol || isHidden(symbol.name) || isForeignSymbol(symbol)) return null
  const isGeneric = alias
    ? type.getAliasTypeArguments().length > 0
    : type.isTypeReference() && type.getTarget() !== type
  return isGeneric ? null : symbol.name
}

function tuple({ readonly, elementFlags }: TupleType, texts: string[]): string {
  const marked = texts.map((text, index) => {
    const flags = elementFlags[index] ?? ElementFlags.Required
    if ((flags & ElementFlags.Rest) !== 0) return `...(${text})[]`
    return (flags & ElementFlags.Optional) !== 0 ? `(${text})?` : text
  })
  return `${readonly ? 'readonly ' : ''}[${marked.join(', ')}]`
}

function generic(name: string, parameters: string[]): string {
  return parameters.length === 0 ? name : `${name}<${parameters.join(', ')}>`
}

/** Whether a name is private, a symbol's, or made up by the compiler. */
function isHidden(name: string): boolean {
  return name.startsWith('__')
}

/** Whether a type belongs to the language or the platform. */
function isForeign(type: Type): boolean {
  const symbol = type.getSymbol()
  return symbol !== undefined && !isHidden(symbol.name) && isForeignSymbol(symbol)
}

function isForeignSymbol({ declarations }: Symbol): boolean {
  return (
    declarations.length > 0 &&
    declarations.every(({ path }) => /\/node_modules\/|^bundled:/.test(path))
  )
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The compiler gave no answer.')
  return value
}

function unsaid(checker: Project['checker'], type: Type): CommandError {
  return new CommandError(`No object call may have this type: ${checker.typeToString(type)}`)
}
