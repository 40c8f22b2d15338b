import { expect, test } from 'vitest'
import ts from 'typescript'
import { placeOf } from './console-texts'
import { codeOf, rustFiles, serverSources } from './server-texts'

// Details of errors are sentences, so that the console can say them in the language of its reader. What stays a text of
// its own is listed here, with the reason.

/** Files of the server whose errors the console never shows, or whose words are others'. */
const SERVER: readonly (readonly [files: RegExp, reason: string])[] = [
  [/src\/routes\/(v1\/|ycsb\.ts)/, 'the words of other products, which their clients compare'],
  [/src\/cli\//, 'said at a terminal'],
  [
    /src\/(auth\/admin-token|network\/tls|network\/socket|files\/open-files)\.ts/,
    'said at a terminal, before the server is there',
  ],
  [/src\/config\/(file|sources)\.ts/, 'several lines for a terminal, and what a parser says'],
  [
    /src\/(auth\/oidc\/(logout-token|provider)|pages\/oidc-logout)\.ts/,
    'said to the provider, by whose call a person is signed out',
  ],
  [
    /src\/network\/connections\.ts/,
    'the title of the error, for a connection that is refused before its first request',
  ],
]

/** Files of the engine, in the same way. `ErrorCode::Internal` is of a fault of our own, for whoever mends it. */
const ENGINE: readonly (readonly [files: RegExp, reason: string])[] = [
  [/storage\/src\/(paged|snapshot)\//, 'how bytes on the disk are damaged, for whoever knows their format'],
  [
    /storage\/src\/device\/(recovery\/loss|read\/device_reader)\.rs/,
    'how bytes on the disk are damaged, for whoever knows their format',
  ],
  [/cluster\/src\/(errors|connections|schema|tls)\.rs/, 'the words of the driver of the cluster, and of TLS'],
  [
    /core\/src\/(engine|engine\/migrate\/open)\.rs/,
    'the words of the operating system, and those that the manifest has kept',
  ],
  [/node\/src\/streams\.rs/, 'the words that the gateway gives'],
  [/workload\/src\/(bin\/|client\/http\/|hdr_log|spec\/mod)/, 'said at a terminal, and what a parser says'],
]

const isPlain = (node: ts.Expression): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)

test('an error of the gateway is made of a sentence, unless it is in the list', () => {
  const found = serverSources
    .filter(({ name }) => !SERVER.some(([files]) => files.test(name)))
    .flatMap((source) => {
      const plain: string[] = []
      const visit = (node: ts.Node): void => {
        if (
          ts.isNewExpression(node) &&
          /^(GatewayError|ConfigError|NotFound)$/.test(node.expression.getText(source.file))
        ) {
          const message = node.arguments?.[node.expression.getText(source.file) === 'ConfigError' ? 0 : 1]
          if (message !== undefined && isPlain(message)) plain.push(placeOf(source, node))
        }
        ts.forEachChild(node, visit)
      }
      visit(source.file)
      return plain
    })
  expect(found).toEqual([])
})

test('an error of the engine is made of a sentence, unless it is in the list', () => {
  const found = rustFiles
    .filter((name) => !/\/(tests|fuzz)(\/|\.rs)|_tests?\.rs$|base\/src\/error\.rs/.test(name))
    .filter((name) => !ENGINE.some(([files]) => files.test(name)))
    .flatMap((name) => {
      const code = codeOf(name)
      return [...code.matchAll(/(?<!io::)\bError::new\(\s*(?!ErrorKind|(?:\w+::)*ErrorCode::Internal)/g)].map(
        ({ index }) => `${name}:${code.slice(0, index).split('\n').length}`,
      )
    })
  expect(found).toEqual([])
})

test('each exception is still needed', () => {
  const names = [...serverSources.map(({ name }) => name), ...rustFiles]
  expect([...SERVER, ...ENGINE].filter(([files]) => !names.some((name) => files.test(name)))).toEqual([])
})
