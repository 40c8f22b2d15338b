// Names of the namespaces of the lab: they tell what a run made from what a user made.

/** Of the id of a run: `newId` of `files/object-files.ts`. */
const NAME = /^lab-[0-9a-z]{9}[0-9a-f]{6}-/

/** The names of all namespaces of a run begin with this and a hyphen. */
export const prefixOf = (run: string): string => `lab-${run}`

/** Whether a run of the lab made the namespace of this name. */
export const isOfLab = (name: string): boolean => NAME.test(name)
