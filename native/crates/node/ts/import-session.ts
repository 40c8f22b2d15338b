import { letGo, type NativeImport } from '#addon'
import { throwing, type Throwing } from './throwing.js'

/** A bulk load under way. */
export interface ImportSession extends Omit<Throwing<NativeImport>, 'write'> {
  /**
   * Takes a chunk, cut anywhere; resolves when there is room for more. `spare`: nobody reads the chunk any more, so its
   * memory is freed here, unless it is part of a larger piece.
   */
  write(chunk: Buffer, spare?: boolean): Promise<void>
}

export function importSession(native: NativeImport): ImportSession {
  const session = throwing(native)
  return {
    ...session,
    write: async (chunk, spare = false) => {
      const room = session.write(chunk)
      const { buffer } = chunk
      if (spare && buffer instanceof ArrayBuffer && chunk.byteLength === buffer.byteLength) letGo(buffer)
      await room
    },
  }
}
