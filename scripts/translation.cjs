/** How swc translates a source: the build's and, as both load the product, Jest's. */
module.exports = {
  swcrc: false,
  // Beside the code: maps within it would be read and compiled with every suite.
  sourceMaps: true,
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};
