// From the schemas of the document to types of Python.

/** @typedef {{ [key: string]: any }} Schema */

const KEYWORDS = new Set([
  'from',
  'class',
  'global',
  'in',
  'is',
  'not',
  'or',
  'and',
  'if',
  'else',
  'for',
  'while',
  'with',
  'as',
])

/** A name that Python takes. @param {string} name */
export const pythonName = (name) => {
  const snake = name.replaceAll(/[a-z0-9][A-Z]/g, ([a, b]) => `${a}_${b?.toLowerCase()}`).replaceAll('-', '_')
  return KEYWORDS.has(snake) ? `${snake}_` : snake
}

/** @param {string} text */
const capital = (text) =>
  text.charAt(0).toUpperCase() + text.slice(1).replaceAll(/\W+(\w)?/g, (_, c = '') => c.toUpperCase())

/** Collects the types that are met, under names of their own. */
export class Types {
  /** @type {Map<string, string>} */
  #texts = new Map()
  /** @type {Record<string, Schema>} */
  #shared

  /** @param {Record<string, Schema>} shared */
  constructor(shared) {
    this.#shared = shared
    for (const [name, schema] of Object.entries(shared)) this.#declare(name, schema)
  }

  /** The module of all types. */
  module() {
    const declared = [...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
    return `"""Types of the API. Written by npm run gen."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import NotRequired, TypeAlias, TypedDict

${declared.join('\n')}`
  }

  /** @returns {string[]} */
  names() {
    return [...this.#texts.keys()]
  }

  /** The type of a schema; `name` is for the objects in it. @param {Schema | undefined} schema @param {string} name @returns {string} */
  of(schema, name) {
    if (schema === undefined || Object.keys(schema).length === 0) return 'Any'
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined)
      return union(
        choices.map((/** @type {Schema} */ one, /** @type {number} */ at) => this.of(one, `${name}${at + 1}`)),
      )
    if (schema.allOf !== undefined) return this.#object(this.#merged(schema), name)
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.of({ ...schema, type }, name)))
    if (schema.type === 'object') return this.#object(schema, name)
    if (schema.type === 'array') return `list[${this.of(schema.items, `${name}Item`)}]`
    const simple = { integer: 'int', number: 'float', boolean: 'bool', string: 'str', null: 'None' }
    return simple[/** @type {keyof typeof simple} */ (schema.type)] ?? 'Any'
  }

  /** @param {string} name @param {Schema} schema */
  #declare(name, schema) {
    const isObject = (schema.type === 'object' && schema.properties !== undefined) || schema.allOf !== undefined
    if (isObject) return this.of(schema, name)
    const type = this.of(schema, `${name}Value`)
    this.#texts.set(name, `${name}: TypeAlias = "${type}"\n`)
  }

  /** @param {Schema} schema @param {string} name */
  #object(schema, name) {
    const { properties, required = [], additionalProperties } = schema
    if (properties === undefined || Object.keys(properties).length === 0) {
      const other = typeof additionalProperties === 'object' ? additionalProperties : undefined
      const pattern = Object.values(schema.patternProperties ?? {})[0]
      return `dict[str, ${this.of(other ?? /** @type {Schema} */ (pattern), `${name}Value`)}]`
    }
    // Its place is kept before its members, which may name it.
    if (this.#texts.has(name) && this.#shared[name] !== schema) throw new Error(`two types are called ${name}`)
    this.#texts.set(name, '')
    const members = Object.entries(properties).map(([key, value]) => {
      const type = this.of(value, `${name}${capital(key)}`)
      return [key, required.includes(key) ? type : `NotRequired[${type}]`]
    })
    const isPlain = members.every(([key = '']) => /^[A-Za-z]\w*$/.test(key) && !KEYWORDS.has(key))
    const words = String(schema.description ?? name)
      .replaceAll('\\', '\\\\')
      .replaceAll('"', "'")
    this.#texts.set(
      name,
      isPlain
        ? `\nclass ${name}(TypedDict):\n    """${words}"""\n\n${members.map(([key, type]) => `    ${key}: ${type}\n`).join('')}\n`
        : `${name} = TypedDict("${name}", {${members.map(([key, type]) => `"${key}": ${JSON.stringify(type)}`).join(', ')}})\n`,
    )
    return name
  }

  /** One object of all parts. @param {Schema} schema @returns {Schema} */
  #merged(schema) {
    const whole = schema.$ref === undefined ? schema : (this.#shared[schema.$ref.split('/').at(-1)] ?? {})
    const parts = (whole.allOf ?? []).map((/** @type {Schema} */ part) => this.#merged(part))
    const all = [...parts, { properties: whole.properties, required: whole.required }]
    return {
      type: 'object',
      description: whole.description,
      properties: Object.assign({}, ...all.map(({ properties }) => properties ?? {})),
      required: all.flatMap(({ required }) => required ?? []),
    }
  }
}

/** @param {unknown} value */
const literal = (value) =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : value === null ? 'None' : JSON.stringify(value)

/** @param {string[]} types */
const union = (types) => {
  const different = [...new Set(types)]
  return different.length === 1 ? (different[0] ?? 'Any') : `Union[${different.join(', ')}]`
}
