// What the type checker does not see. Names and types are its business (tsconfig.json).

import js from "@eslint/js";

export default [
  { ignores: [".*/", "runs/"] },
  js.configs.recommended,
  {
    rules: {
      "no-undef": "off",
      "max-len": ["error", { code: 140 }],
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", 60],
      eqeqeq: ["error", "smart"],
      "no-unused-vars": [
        "error",
        { varsIgnorePattern: "^_", argsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_" },
      ],
      "no-var": "error",
      "prefer-const": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "What a model wrote stays text: build elements with h() of dom.js." },
        { property: "outerHTML", message: "What a model wrote stays text: build elements with h() of dom.js." },
        {
          property: "insertAdjacentHTML",
          message: "What a model wrote stays text: build elements with h() of dom.js.",
        },
      ],
      "no-restricted-syntax": ["error", { selector: "ExportDefaultDeclaration", message: "Export a name." }],
    },
  },
  { files: ["eslint.config.js"], rules: { "no-restricted-syntax": "off" } },
];
