// The built api, in a process of its own.
void require('../../dist/apps/api/src/main.js').runApi();
