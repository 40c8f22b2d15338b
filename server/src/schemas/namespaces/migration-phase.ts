import { choice } from '../words.js'

export const MigrationPhase = choice(['copying', 'verifying', 'doubled', 'failed'], {
  description:
    '`copying`: records are copied, and changes go to both stores. `verifying`: each record of both stores is ' +
    'compared. `doubled`: both hold the same, and changes go to both. `failed`: the store that follows lacks changes.',
})
