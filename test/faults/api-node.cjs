// The built api, in a process of its own.
require('../../dist/apps/api/src/main.js').runApi();
