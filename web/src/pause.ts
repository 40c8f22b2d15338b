/** Ends the task, so that the browser can draw and take input before the next one. */
export const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve))
