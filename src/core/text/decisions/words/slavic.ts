import type { DecisionWords } from "./decision-words.ts";

export const SLAVIC = {
  polish: {
    isSpaced: true,
    stated: [
      ...["zdecydowaliśmy", "zdecydowałyśmy", "zdecydowałem", "zdecydowałam", "zdecydowano", "zdecydowali"],
      ...["postanowiliśmy", "postanowiłem", "postanowiłam", "postanowiono", "decyzja:", "decyzja jest", "decyzja to"],
      ...["podjęliśmy decyzję", "podjąłem decyzję", "podjęłam decyzję", "podjęto decyzję", "wybraliśmy", "wybrałem"],
      ...["wybrałam", "ustaliliśmy", "ustalono", "uzgodniliśmy", "użyjemy … zamiast", "zostajemy przy"],
    ],
    denied: [
      ...["nie zdecydowa*", "nie … zdecydowa*", "nie postanowi*", "nie podję*", "nie wybra*", "nie ustal*"],
      ...["nie uzgodni*", "żadnej decyzji", "brak decyzji", "niezdecydowan*"],
    ],
  },
  russian: {
    isSpaced: true,
    stated: [
      ...["решили", "решил", "решила", "решено", "принято решение", "приняли решение", "принял решение"],
      ...["приняла решение", "решение:", "решение принято", "выбрали", "выбрал", "выбрала", "остановились на"],
      ...["остановился на", "остановилась на", "договорились", "будем использовать", "используем … вместо"],
    ],
    denied: [
      ...["не решил*", "не решено", "не … решил*", "не принято", "не принял*", "не выбрал*", "не договорил*"],
      ...["решил* … проблем*", "решил* проблем*", "решил* задач*", "решил* ошибк*", "решил* эту", "ничего … решено"],
    ],
  },
  ukrainian: {
    isSpaced: true,
    stated: [
      ...["вирішили", "вирішив", "вирішила", "вирішено", "ухвалили рішення", "ухвалено рішення", "прийняли рішення"],
      ...["прийнято рішення", "прийняв рішення", "прийняла рішення", "рішення:", "рішення ухвалено", "обрали", "обрав"],
      ...["обрала", "домовилися", "домовились", "зупинилися на", "зупинились на", "будемо використовувати"],
      ...["використовуватимемо", "використовуємо … замість"],
    ],
    denied: [
      ...["не виріш*", "не … виріш*", "не ухвал*", "не прийня*", "не обра*", "не домовил*", "виріш* проблем*"],
      ...["виріш* … проблем*", "виріш* задач*", "виріш* помилк*", "виріш* цю"],
    ],
  },
} as const satisfies Record<string, DecisionWords>;
