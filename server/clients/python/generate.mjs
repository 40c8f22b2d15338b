// Writes the types and the operations of the Python client from the OpenAPI document. Used by `npm run gen`.
import { readFileSync, writeFileSync } from 'node:fs'
import { methodsOf } from './generate/methods.mjs'
import { Types } from './generate/types.mjs'

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const types = new Types(document.components.schemas)
const operations = methodsOf(document.paths, types)
const write = (/** @type {string} */ name, /** @type {string} */ text) =>
  writeFileSync(new URL(`tessera_client/${name}_gen.py`, import.meta.url), text)
write('operations', operations)
write('models', types.module())
