// Changes that make room on the disk. They are carried out on a full one, too.

const OPERATIONS: ReadonlySet<string> = new Set([
  'dropIndex',
  'dropNamespace',
  'removeBackup',
  'removeDropped',
  'removeOrphan',
  'settleTruncation',
  'truncateSet',
])

export const freesRoom = (operation: string, body: unknown): boolean =>
  OPERATIONS.has(operation) || (operation === 'startJob' && Object(body).kind === 'truncate')
