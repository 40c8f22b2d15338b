// GET /docs/errors: the table that the `type` of a problem links to.
import type { App } from '../app-types.js'
import { errorTable } from '../error-table.js'
import { withStyle } from './page-headers.js'
import { bodyEtag } from '../requests/etag.js'

const STYLE =
  'body{font:15px/1.5 system-ui;margin:2rem}td,th{text-align:left;padding:.2rem 1rem .2rem 0}tr:target{background:#fe9}'

export function errorPageRoute(scope: App): void {
  const text = page()
  const etag = bodyEtag(text)
  scope.get('/docs/errors', { schema: { hide: true } }, (_request, reply) => {
    reply
      .headers({ ...withStyle(STYLE), etag, 'cache-control': 'private, no-cache', vary: 'accept-encoding' })
      .type('text/html; charset=utf-8')
      .send(text)
  })
}

function page(): string {
  const rows = Object.entries(errorTable)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { status, title, remedy }]) =>
        `<tr id="${code}"><td><code>${code}</code><td>${status}<td>${title}<td>${remedy.replaceAll('<', '&lt;')}`,
    )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tessera: errors</title>
<style>${STYLE}</style>
<h1>Errors</h1><table><tr><th>Code<th>Status<th>Meaning<th>What to do${rows.join('\n')}</table></html>`
}
