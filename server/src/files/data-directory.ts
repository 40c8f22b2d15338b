// The directory of the data.
import { makeDirectory } from './writable-directory.js'

/** @throws ConfigError as `makeDirectory` */
export const makeDataDirectory = (path: string): Promise<void> => makeDirectory('the data directory', path)
