const { homedir } = require('node:os');
const { join } = require('node:path');

/** Where the packages of a list of test/clients are installed: not in the repository, where everything that walks through it would read 730 MB more. */
module.exports = (list) =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'greenroom', `client-${list}`);
