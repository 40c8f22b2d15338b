// From the operations of the document to methods of the two clients of Python.
import { pythonName } from './types.mjs'

/** Tags of operations that send a search as a body and change nothing. */
const SEARCHES = ['query', 'scan', 'capacity', 'records']
const JSON_TYPE = 'application/json'

/** @param {Record<string, Record<string, any>>} paths @param {import('./types.mjs').Types} types */
export function methodsOf(paths, types) {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation, types)),
  )
  const methods = described.filter((one) => one !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1))
  const models = types.names().sort()
  return `"""Operations of the API. Written by npm run gen."""

from __future__ import annotations

from typing import Any, Literal, Union, cast

from ._core import AsyncBody, Body, Call
from ._lines import AsyncLines, Lines
from .models_gen import (
${models.map((name) => `    ${name},\n`).join('')})


class Operations:
    """Every operation by its name. \`Client\` sends them."""

    def _call(self, call: Call) -> Any:
        raise NotImplementedError

    def _lines(self, call: Call) -> Lines:
        raise NotImplementedError

${methods.map((one) => methodText(one, false)).join('\n')}

class AsyncOperations:
    """Every operation by its name. \`AsyncClient\` sends them."""

    async def _call(self, call: Call) -> Any:
        raise NotImplementedError

    async def _lines(self, call: Call) -> AsyncLines:
        raise NotImplementedError

${methods.map((one) => methodText(one, true)).join('\n')}`
}

/**
 * @typedef {{ name: string, summary: string, kind: string, repeats: string, method: string, path: string, answer: string,
 *   accept: string, lines: boolean, parameters: Parameter[], body: { type: string, media: string } | undefined }} Method
 * @typedef {{ name: string, at: string, python: string, type: string, isRequired: boolean }} Parameter
 */

/**
 * @param {string} path @param {string} method @param {any} operation @param {import('./types.mjs').Types} types
 * @returns {Method | undefined} undefined: written by hand
 */
function describe(
  path,
  method,
  { operationId, summary, parameters = [], requestBody, responses, tags, ...more },
  types,
) {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const content = good.map(([, answer]) => answer.content ?? {})
  const accepted = [...new Set(content.flatMap((one) => Object.keys(one)))]
  if (accepted.includes('text/event-stream')) return undefined
  const title = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const answers = content.flatMap(({ [JSON_TYPE]: media }, at) =>
    media === undefined ? [] : [types.of(media.schema, `${title}Answer${at === 0 ? '' : at + 1}`)],
  )
  const isJson = accepted.includes(JSON_TYPE)
  const all = parameters.map((/** @type {any} */ one) => ({
    name: one.name,
    at: one.in,
    python: pythonName(one.name),
    type: one.in === 'path' ? 'Union[str, int]' : types.of(one.schema, `${title}${one.name}`),
    isRequired: one.required === true || one.in === 'path',
  }))
  const isKeyed = all.some((/** @type {Parameter} */ { name }) => name === 'idempotency-key')
  const searches = method === 'post' && more['x-required-role'] === 'reader' && SEARCHES.includes(tags[0])
  const [media] = Object.keys(requestBody?.content ?? {})
  const sends = media === JSON_TYPE ? types.of(requestBody.content[media].schema, `${title}Body`) : 'Body'
  return {
    name: pythonName(operationId),
    summary: `${summary}.`,
    kind: isJson ? 'json' : accepted.length === 0 ? 'nothing' : 'text',
    repeats:
      method === 'get' || searches ? 'always' : isKeyed ? 'with key' : /put|delete/.test(method) ? 'plain' : 'refused',
    method: method.toUpperCase(),
    path,
    answer: isJson ? unionOf(answers) : accepted.length === 0 ? 'None' : 'str',
    accept: isJson ? '' : accepted.join(', '),
    lines: accepted.includes('application/x-ndjson'),
    parameters: all,
    body: media === undefined ? undefined : { type: sends, media },
  }
}

/** @param {string[]} types */
const unionOf = (types) => {
  const different = [...new Set(types)]
  return different.length === 1 ? (different[0] ?? 'Any') : `Union[${different.join(', ')}]`
}

/** @param {Method} method @param {boolean} isAsync */
function methodText(method, isAsync) {
  const { name, parameters, body, lines } = method
  const first = parameters.filter(({ at }) => at === 'path')
  const named = parameters.filter(({ at }) => at !== 'path').sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
  const bodyType = body?.type === 'Body' && isAsync ? 'AsyncBody' : body?.type
  const taken = [
    'self',
    ...first.map(({ python, type }) => `${python}: ${type}`),
    ...(body === undefined ? [] : [`body: ${bodyType}`]),
    ...(named.length > 0 || body?.type === 'Body' ? ['*'] : []),
    ...named.map(({ python, type, isRequired }) => `${python}: ${isRequired ? type : `Union[${type}, None] = None`}`),
    ...(body?.type === 'Body' ? [`content_type: str = "${body.media}"`] : []),
  ]
  const pairs = (/** @type {string} */ at) =>
    parameters
      .filter((one) => one.at === at)
      .map((one) => `"${one.name}": ${one.python}`)
      .join(', ')
  const call = (/** @type {string} */ accept) => `Call(
            "${method.method}",
            "${method.path}",
            "${method.repeats}",
            path={${pairs('path')}},
            query={${pairs('query')}},
            headers={${pairs('header')}},
            accept="${accept}",
${body === undefined ? '' : `            body=body,\n            content_type=${body.type === 'Body' ? 'content_type' : `"${body.media}"`},\n`}        )`
  const [define, wait] = isAsync ? ['async def', 'await '] : ['def', '']
  const whole = `    ${define} ${name}(
        ${taken.join(',\n        ')},
    ) -> ${method.answer}:
        """${method.summary}"""
        call = ${call(method.accept)}
${method.kind === 'nothing' ? `        ${wait}self._call(call)\n` : `        return cast("${method.answer}", ${wait}self._call(call))\n`}`
  if (!lines) return whole
  return `${whole}
    ${define} ${name}_lines(
        ${taken.join(',\n        ')},
    ) -> ${isAsync ? 'AsyncLines' : 'Lines'}:
        """${method.summary} Answers its lines one by one; use it with \`with\`, or read to the end."""
        call = ${call('application/x-ndjson')}
        return ${wait}self._lines(call)
`
}
