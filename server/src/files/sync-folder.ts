// Makes new names in a folder durable.
import { open } from 'node:fs/promises'

/** Without it, a power loss can bring the old file back. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
