/** For `globalSetup` of Jest and Vitest: one server for all test files, which open sessions on it. */
declare function setup(): Promise<() => Promise<void> | void>;
export = setup;
