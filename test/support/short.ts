/** Whether `npm test` runs, which looks at fewer cases than the whole suite (`jest.main.config.js`). */
export const isShort = (): boolean => '__SHORT__' in globalThis;
