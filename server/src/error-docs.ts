// Generates docs/errors.md from the table.
import { errorTable } from './error-table.js'

const HEAD = `# Errors

Every failure on \`/api/v1\` is \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\`,
\`code\`, \`field\` (the field at fault, if any), \`retryable\` and \`requestId\`. Branch on \`code\`: it is stable, the
wording is not. \`/v1\` answers with the error object of the Aerospike REST Gateway instead (\`docs/compatibility.md\`).

Rejected lines of an import or a batch have the same codes.

\`npm run gen\` writes this page from \`server/src/error-table.ts\`.

| code | status | meaning | what to do |
| --- | --- | --- | --- |
`

export function errorPage(): string {
  const rows = Object.entries(errorTable)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { status, title, remedy }]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${title} | ${remedy} |`,
    )
  return `${HEAD}${rows.join('\n')}\n`
}
