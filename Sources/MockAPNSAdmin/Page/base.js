// All of `base`, for parts and views.

export * from './base/stream.js';
export * from './base/router.js';
export * from './base/dialogs.js';
export * from './base/keys.js';
export * from './base/api.js';
export * from './base/dom.js';
export * from './base/store.js';
export * from './base/text.js';
