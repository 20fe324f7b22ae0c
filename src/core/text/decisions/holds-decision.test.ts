import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import { type DECISION_WORDS, holdsDecision } from "./holds-decision.ts";

type Language = keyof typeof DECISION_WORDS;

/** Sentences that state a decision, and some that speak of deciding without having done it, or of something else. */
const SENTENCES = {
  english: {
    decided: [
      "We decided to keep SQLite as the default store.",
      "After the benchmark, let's go with undici.",
      "I’ve decided that the flag stays off.",
      "Decision: one package, subpath exports.",
      "Use node:http instead of express for this.",
      "The team settled on Node.js v24.1 for CI",
    ],
    undecided: [
      "We have not decided yet which store to use.",
      "Should we go with undici?",
      "It hasn't been decided.",
      "I'll use the search tool to look at the file.",
      "The result depends on the input.",
      "So what has been decided on Node.js?",
    ],
  },
  german: {
    decided: [
      "Wir haben uns nach langer Prüfung für PostgreSQL entschieden.",
      "Es wurde beschlossen, das Feld zu streichen.",
    ],
    undecided: [
      "Wir haben uns noch nicht für eine Datenbank entschieden.",
      "Das ist entschieden besser.",
      "Haben wir das beschlossen?",
    ],
  },
  french: {
    decided: ["Nous avons décidé de garder SQLite.", "Après réflexion, j’ai choisi la deuxième option."],
    undecided: ["Nous n'avons pas encore décidé.", "Aucune décision n'est prise.", "As-tu relu le fichier ?"],
  },
  spanish: {
    decided: ["Hemos decidido usar PostgreSQL.", "Al final optamos por la segunda opción."],
    undecided: ["Todavía no hemos decidido nada.", "¿Decidimos esto ayer?", "El archivo no existe."],
  },
  portuguese: {
    decided: ["Decidimos manter o SQLite.", "Ficou decidido que a opção sai."],
    undecided: ["Ainda não decidimos qual usar.", "Nada foi decidido.", "O arquivo não existe."],
  },
  italian: {
    decided: ["Abbiamo deciso di usare SQLite.", "È stato deciso di togliere il campo."],
    undecided: ["Non abbiamo ancora deciso quale usare.", "Nessuna decisione per ora.", "Il file non esiste."],
  },
  dutch: {
    decided: ["We hebben na de test besloten SQLite te houden.", "Besluit: één pakket."],
    undecided: ["We hebben nog niet besloten wat we doen.", "Er is geen besluit.", "Het bestand ontbreekt."],
  },
  polish: {
    decided: ["Zdecydowaliśmy się na PostgreSQL.", "Podjęto decyzję o usunięciu pola."],
    undecided: ["Jeszcze nie zdecydowaliśmy, co wybrać.", "To zdecydowanie lepsze.", "Plik nie istnieje."],
  },
  russian: {
    decided: ["Мы решили оставить SQLite.", "Принято решение убрать поле."],
    undecided: ["Мы ещё не решили, что выбрать.", "Мы решили проблему с тестами.", "Файл не найден."],
  },
  ukrainian: {
    decided: ["Ми вирішили залишити SQLite.", "Ухвалено рішення прибрати поле."],
    undecided: ["Ми ще не вирішили, що обрати.", "Ми вирішили проблему з тестами.", "Файл не знайдено."],
  },
  chinese: {
    decided: ["我们决定使用SQLite。", "最終決定採用第二個方案。"],
    undecided: ["我们还没决定用哪个。", "我们决定用SQLite吗？", "是否决定使用还要看测试。", "文件不存在。"],
  },
  japanese: {
    decided: ["SQLiteを使うことにしました。", "二番目の案に決定。"],
    undecided: ["まだ決めていません。", "SQLiteを使うことにしましたか？", "ファイルがありません。"],
  },
  korean: {
    decided: ["SQLite를 쓰기로 했습니다.", "두 번째 안으로 결정."],
    undecided: ["아직 결정하지 않았습니다.", "무엇으로 결정했는지 모릅니다.", "파일이 없습니다."],
  },
  arabic: {
    decided: ["لقد قررنا استخدام قاعدة البيانات.", "وقرّرنا حذف الحقل."],
    undecided: ["لم نقرر بعد.", "هل قررنا ذلك؟", "الملف غير موجود."],
  },
  hindi: {
    decided: ["हमने SQLite रखने का निर्णय लिया।", "यह तय किया गया कि फ़ील्ड हटेगा।"],
    undecided: ["अभी तक कोई निर्णय नहीं लिया।", "फ़ाइल नहीं मिली।", "क्या यह तय हुआ?"],
  },
  turkish: {
    decided: ["SQLite kullanmaya karar verdik.", "Uzun testlerden sonra ikinci seçeneği seçtik."],
    undecided: ["Henüz karar vermedik.", "Buna karar verdik mi?", "Dosya bulunamadı."],
  },
} satisfies Record<Language, { readonly decided: readonly string[]; readonly undecided: readonly string[] }>;

describe.each(Object.entries(SENTENCES))("in %s", (_, { decided, undecided }) => {
  test.each(decided)("a decision: %s", (sentence) => {
    expect(holdsDecision(sentence)).toBe(true);
    expect(holdsDecision(`${sentence}\n`.normalize("NFD"))).toBe(true);
  });

  test.each(undecided)("none: %s", (sentence) => {
    expect(holdsDecision(sentence)).toBe(false);
  });
});

describe("a decision", () => {
  test("is found among sentences that hold none", () => {
    const other = "Is it decided? Not decided yet. ";
    expect(holdsDecision(other.repeat(3))).toBe(false);
    expect(holdsDecision(`${other.repeat(3)}We decided to ship v1.2 now. ${other}`)).toBe(true);
  });

  test("is a matter of whole words where words stand apart", () => {
    expect(holdsDecision("rewe decided")).toBe(false);
    expect(holdsDecision("")).toBe(false);
  });

  test.each([
    ["one letter", "a".repeat(3_000_000)],
    ["stops", ".".repeat(3_000_000)],
    ["beginnings of phrases", "haben ".repeat(400_000)],
    ["questions", "we decided? ".repeat(200_000)],
    ["denials", "we have not decided. ".repeat(100_000)],
    ["one long sentence", `we decided ${"not ".repeat(500_000)}`],
    ["white space", `haben uns${" ".repeat(3_000_000)}`],
  ])("takes linear time to look for in %s", (_, text) => {
    // quadratic time would be hours
    expect(cpuTimeMs(() => holdsDecision(text))).toBeLessThan(20_000);
  });
});
