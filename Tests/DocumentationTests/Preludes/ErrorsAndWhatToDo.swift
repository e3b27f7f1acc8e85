enum Answer {
    case tryAgain, askForTheKey, restoreABackup, callTheOperator, rejectTheRequest, reportToTheDeveloper
}
