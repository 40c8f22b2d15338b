// Writes what is generated from the code: server/openapi.json and docs/errors.md. Opens no store.
import { writeFile } from 'node:fs/promises'
import { createApp, declareApi } from './app.js'
import { readConfig } from './config.js'
import { errorPage } from './error-docs.js'
import { apiDocument } from './openapi/document.js'

const app = createApp(readConfig([], { TESSERA_LOG_LEVEL: 'silent' }))
await declareApi(app)
await app.ready()
await writeFile(new URL('../openapi.json', import.meta.url), `${JSON.stringify(apiDocument(app), null, 2)}\n`)
await writeFile(new URL('../../docs/errors.md', import.meta.url), errorPage())
await app.close()
